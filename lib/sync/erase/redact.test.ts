/** Identifying texts are replaced only if they are whole words, in any script. */
import { expect, it } from 'vitest'
import { createTextRedactor } from './redact'

it.each([
  ['Ann', 'Ann, ANN and ann', 'Erased, Erased and Erased'],
  ['Ann', 'Anna, Joann and Ann2', 'Anna, Joann and Ann2'],
  ['Zoë (Z.)', 'with Zoë (Z.)!', 'with Erased!'],
  ['lee@x.com', '<lee@x.com>, to:LEE@x.com. -lee@x.com', '<Erased>, to:Erased. -Erased'],
  [
    'lee@x.com',
    'ann.lee@x.com, ann-lee@x.com, ann+lee@x.com and ann_lee@x.com',
    'ann.lee@x.com, ann-lee@x.com, ann+lee@x.com and ann_lee@x.com',
  ],
  ['דוד לוי', 'אורח: דוד לוי.', 'אורח: Erased.'],
  // Japanese, Chinese, Korean and Thai: the next word or particle follows directly.
  ['田中太郎', '友人の田中太郎さんはVIP', '友人のErasedさんはVIP'],
  ['王小明', '请联系王小明先生', '请联系Erased先生'],
  ['김민수', '김민수님의 자리', 'Erased님의 자리'],
  ['สมชาย ใจดี', 'คุณสมชาย ใจดีครับ', 'คุณErasedครับ'],
  ['Ann Lee', 'Ann Leeさんの席', 'Erasedさんの席'],
  ['マリア', 'マリアさんとマリアンヌさん', 'Erasedさんとマリアンヌさん'],
])('replaces %s only as a whole word in %j', (text, before, after) => {
  expect(createTextRedactor([text])(before)).toBe(after)
})
