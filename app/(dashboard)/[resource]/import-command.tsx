/** A button that shows the command that the server's administrator runs to import a file. */
import { CopyButton } from '@/app/_components/copy-button'
import { Menu } from '@/app/_components/menu'
import { listCopy } from '@/app/copy/list'
import type { TableName } from '@/lib/accounts/preferences'

export function ImportCommand({ table, sellerId }: { table: TableName; sellerId: string }) {
  const command = `npm run -s desk -- import ${table} ${table}.ndjson --seller ${sellerId}`
  return (
    <Menu button={listCopy.importFile} width="w-80">
      <p className="px-2 pt-1 text-quiet">{listCopy.importHint}</p>
      <p className="mt-1 flex items-start gap-1 px-2 pb-1">
        <code className="wrap-anywhere font-mono text-[0.8125rem]">{command}</code>
        <CopyButton text={command} name={listCopy.importCommand} />
      </p>
    </Menu>
  )
}
