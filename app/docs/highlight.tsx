/** Highlights code on the server, so that the browser needs no script. */
import type { ReactNode } from 'react'

const KEYWORDS =
  'await async break const else except export for from if import in let new return throw try while with as raise not and or True False None true false null npm curl'

/** Matches a comment, a string, a number or a word. */
const TOKEN =
  /(?<comment>(?<=^|\s)(?:#|\/\/)[^\n]*)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>\b[A-Za-z_]+\b)/g

const keywords = new Set(KEYWORDS.split(' '))

/** Returns the code as strings and colored spans. Their concatenated text equals the code. */
export function highlight(code: string): ReactNode[] {
  const parts: ReactNode[] = []
  let position = 0
  for (const match of code.matchAll(TOKEN)) {
    const { comment, text, number, word } = match.groups ?? {}
    const tone = comment ? 'text-quiet' : text ? 'text-good' : number ? 'text-warn' : word && keywords.has(word) ? 'text-accent' : undefined
    if (!tone) continue
    parts.push(code.slice(position, match.index))
    parts.push(
      <span key={match.index} className={tone}>
        {match[0]}
      </span>,
    )
    position = match.index + match[0].length
  }
  parts.push(code.slice(position))
  return parts
}

/** A block of code. Long lines wrap on screen instead of scrolling; copied text has no extra line breaks. */
export function Code({ code }: { code: string }) {
  return (
    <pre className="wrap-anywhere whitespace-pre-wrap px-4 py-3 font-mono text-[0.8125rem] leading-6">
      <code>{highlight(code)}</code>
    </pre>
  )
}
