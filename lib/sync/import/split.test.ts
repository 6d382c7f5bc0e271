/** Input in every accepted format is split into records at the correct boundaries. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '@/testing/texts'
import { type RawRecord, splitRecords } from './split'

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function split(text: string | Buffer, size = 64 * 1024): Promise<RawRecord[]> {
  const pieces: RawRecord[] = []
  for await (const piece of splitRecords(inChunks(Buffer.from(text), size))) pieces.push(piece)
  return pieces
}

const texts = async (text: string, size?: number) => (await split(text, size)).map(({ bytes }) => bytes.toString())

describe('splitRecords', () => {
  const records = [{ id: 'a', note: 'commas, "quotes", ]}[{ and \\ too' }, { id: 'ü', nested: [[1], { deep: [{}] }] }, { id: 'c' }]
  const wanted = records.map((record) => JSON.stringify(record))

  it.each([
    ['NDJSON', wanted.join('\n')],
    ['NDJSON with Windows line endings, blank lines and a byte-order mark', `\uFEFF${wanted.join('\r\n\r\n')}\r\n`],
    ['a JSON array', JSON.stringify(records)],
    ['an indented JSON array', JSON.stringify(records, null, 2)],
    ['a list response', JSON.stringify({ has_more: false, total: 3, data: records })],
    ['an indented list response', JSON.stringify({ object: 'list', url: '/v1/coupons', data: records, has_more: true }, null, 2)],
  ])('splits %s, regardless of chunk boundaries', async (_, text) => {
    for (const size of [1, 2, 3, 7, 64, 5000]) {
      const parsed = (await texts(text, size)).map((piece) => JSON.parse(piece))
      expect(parsed).toEqual(records)
    }
  })

  it('yields random records unchanged in every format', { tags: 'slow' }, async () => {
    const record = fc.dictionary(anyText(), fc.jsonValue({ maxDepth: 3 })).map((value) => ({ ...value, id: 'x' }))
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (many, size) => {
        const expected = JSON.parse(JSON.stringify(many))
        for (const text of [
          JSON.stringify(many),
          many.map((value) => JSON.stringify(value)).join('\n'),
          JSON.stringify({ total: 1, data: many }),
        ]) {
          expect((await texts(text, size)).map((piece) => JSON.parse(piece))).toEqual(expected)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('yields the line number of the start of each record', async () => {
    expect((await split('{"id":1}\n\n{"id":2}\n{"id":3')).map(({ line }) => line)).toEqual([1, 3, 4])
    expect((await split('[\n{"id":\n1},\n\n{"id":2}]')).map(({ line }) => line)).toEqual([2, 5])
  })

  it('yields nothing for an empty list or file', async () => {
    for (const text of ['', '\n\n', '[]', '[ ]', '{"data":[]}', '{"has_more":false,"total":0,"data":[ ]}'])
      expect(await split(text)).toEqual([])
  })

  it('splits multiple consecutive lists', async () => {
    const lists = [records.slice(0, 2), records.slice(2), []]
    const responses = lists.map((data) => JSON.stringify({ has_more: true, data, url: '}]"' }))
    for (const between of ['', '\n', ' \n\n ']) {
      for (const text of [
        responses.join(between),
        lists.map((list) => JSON.stringify(list)).join(between),
        `${responses[0]}${between}${wanted[2]}\n`,
      ]) {
        for (const size of [1, 5, 5000])
          expect(
            (await texts(text, size)).map((piece) => JSON.parse(piece)),
            text,
          ).toEqual(records)
      }
    }
    expect((await split('[{"id":1}]\n[\n{"id":2}]')).map(({ line }) => line)).toEqual([1, 3])
  })

  it('splits as many lists as the file contains', async () => {
    const pages = Array.from({ length: 5_000 }, (_, id) => `{"data":[{"id":${id}}]}\n`)
    expect(await texts(pages.join(''))).toHaveLength(pages.length)
  })

  it('does not mistake a record with a member `data` for a list response', async () => {
    const lines = ['{"id":"a","data":[]}', '{"id":"b"}']
    expect(await texts(lines.join('\n'))).toEqual(lines)
  })

  it('reports a truncated file and yields the complete records', async () => {
    const pieces = await split('[{"id":1},{"id":2},{"id"')
    expect(pieces.map(({ error }) => error)).toEqual([undefined, undefined, expect.stringContaining('incomplete')])
    expect((await split('[{"id":1}')).at(-1)?.error).toContain('incomplete')
    expect((await split('{"data":[{"id":1},')).at(-1)?.error).toContain('incomplete')
  })

  it('does not buffer an endless line', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      for (let chunk = 0; chunk < 64; chunk += 1) yield Buffer.alloc(1024 * 1024, 0x61)
      yield Buffer.from('\n{"id":"good"}')
    }
    const pieces: RawRecord[] = []
    for await (const piece of splitRecords(endless())) pieces.push(piece)
    expect(pieces.map(({ error, line }) => [line, error])).toEqual([
      [1, 'is longer than 1 MiB, the limit for one record'],
      [2, undefined],
    ])
    expect(pieces[0]?.bytes.length).toBeLessThan(1000)
  })
})
