/** The link that exports a table, or the choice between the layouts of the file. It needs no script. */
import { Icon } from '@/app/_components/icon'
import { listCopy } from '@/app/copy/list'

/** `path` exports every member; `hasSummary` is whether the table has the summary too. */
type Props = { path: string; label: string; title: string; hasSummary: boolean }

export function ExportMenu({ path, label, title, hasSummary }: Props) {
  if (!hasSummary) {
    return (
      <a className="button" href={path} title={title} download>
        <Icon name="download" />
        {label}
      </a>
    )
  }
  const choices = [
    { href: path, text: listCopy.exportFields, hint: listCopy.exportFieldsHint },
    { href: `${path}${path.includes('?') ? '&' : '?'}format=summary`, text: listCopy.exportSummary, hint: listCopy.exportSummaryHint },
  ]
  return (
    <details className="group/export relative">
      <summary className="button w-full cursor-pointer list-none" title={title}>
        <Icon name="download" />
        {label}
        <Icon name="down" size={12} />
      </summary>
      <div className="absolute top-10 right-0 z-20 w-72 rounded-lg border border-line bg-card p-1 shadow-lg">
        {choices.map(({ href, text, hint }) => (
          <a key={text} href={href} download className="block rounded-md px-3 py-2 text-sm hover:bg-hover">
            {text}
            <span className="block text-quiet text-xs">{hint}</span>
          </a>
        ))}
      </div>
    </details>
  )
}
