/** Renders the subset of Markdown that the OpenAPI document uses: headings, paragraphs, lists, tables and code. */
import type { ReactNode } from 'react'
import { CopyButton } from '../_components/copy-button'
import { docsCopy as copy } from '../copy/docs'
import { Code } from './highlight'

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g

/** Allows line breaks in a name after underscores, colons and dots, and before capital letters. */
const insertBreaks = (name: string): ReactNode[] =>
  [...name.matchAll(/.+?(?:(?<=[_:.])(?=[^_:.])|(?<=[a-z]{2})(?=[A-Z])|$)/g)].flatMap(({ 0: part, index }) =>
    index === 0 ? [part] : [<wbr key={index} />, part],
  )

/** Renders inline code, bold text and links. */
export function renderInline(text: string): ReactNode[] {
  const parts: ReactNode[] = []
  let position = 0
  for (const match of text.matchAll(INLINE)) {
    const [all, code, strong, label, href] = match
    parts.push(text.slice(position, match.index))
    if (code !== undefined) parts.push(<code key={match.index}>{insertBreaks(code)}</code>)
    else if (strong !== undefined)
      parts.push(
        <strong key={match.index} className="font-medium">
          {strong}
        </strong>,
      )
    else
      parts.push(
        <a key={match.index} href={href} className="text-accent underline underline-offset-2">
          {renderInline(label ?? '')}
        </a>,
      )
    position = match.index + all.length
  }
  parts.push(text.slice(position))
  return parts
}

type Section = { id: string; title: string; text: string }

/** Returns the ID of a heading. */
export const slug = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-')

/** Splits Markdown at its second-level headings. The first section is the text before the first heading, and has no title. */
export function splitSections(markdown: string): Section[] {
  return markdown.split(/^## /m).map((part, index) => {
    if (index === 0) return { id: 'begin', title: '', text: part.trim() }
    const end = part.indexOf('\n')
    const title = part.slice(0, end).trim()
    return { id: slug(title), title, text: part.slice(end).trim() }
  })
}

/** Splits text into blocks at empty lines, except in fenced code. */
const splitBlocks = (text: string) => text.match(/```[\s\S]*?```|(?:(?!```)[^\n]+\n?)+/g)?.map((block) => block.trim()) ?? []

const splitCells = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

function Table({ rows }: { rows: string[] }) {
  const [head = '', , ...body] = rows
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-card">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-left text-quiet">
            {splitCells(head).map((cell) => (
              <th key={cell} className="px-3 py-2 font-medium first:pl-4 last:pr-4">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr key={row} className="border-line border-t align-top">
              {splitCells(row).map((cell) => (
                <td
                  key={cell}
                  className="px-3 py-2 [overflow-wrap:break-word] first:pl-4 sm:first:whitespace-nowrap sm:[&:nth-child(2):not(:last-child)]:whitespace-nowrap last:min-w-[45%] last:pr-4"
                >
                  {renderInline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Block({ block }: { block: string }) {
  const lines = block.split('\n')
  if (block.startsWith('```')) {
    const code = lines.slice(1, -1).join('\n')
    const isProgram = /^```(?:sh|js|python)$/.test(lines[0] ?? '')
    return (
      <div className="relative overflow-hidden rounded-lg border border-line bg-card">
        {isProgram ? (
          <div className="with-script absolute top-2 right-2 bg-card">
            <CopyButton text={code} name={copy.copy} />
          </div>
        ) : null}
        <div className={isProgram ? 'pr-8' : undefined}>
          <Code code={code} />
        </div>
      </div>
    )
  }
  if (block.startsWith('|')) return <Table rows={lines} />
  if (block.startsWith('- '))
    return (
      <ul className="list-disc space-y-1.5 pl-5 marker:text-quiet">
        {block
          .split(/^- /m)
          .slice(1)
          .map((item) => (
            <li key={item}>{renderInline(item.trim())}</li>
          ))}
      </ul>
    )
  return <p>{renderInline(block)}</p>
}

export function Prose({ text }: { text: string }) {
  return (
    <div className="space-y-4">
      {splitBlocks(text).map((block) => (
        <Block key={block.slice(0, 80)} block={block} />
      ))}
    </div>
  )
}
