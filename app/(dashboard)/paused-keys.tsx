/** The notice about paused API keys, for users who can resume them. */
import { Link } from '@/app/_components/link'
import { keysCopy } from '@/app/copy/keys'
import { listPausedKeys } from '@/lib/accounts/pause-key'

const copy = keysCopy
const formatNames = new Intl.ListFormat('en-US')

export async function PausedKeys({ sellerId }: { sellerId: string }) {
  const names = await listPausedKeys(sellerId)
  if (names.length === 0) return null
  return (
    <p className="border-line border-b bg-card px-4 py-2 text-sm sm:px-6" data-paused-keys>
      <span className="mx-auto flex max-w-7xl flex-wrap gap-x-3">
        <span className="wrap-anywhere text-warn">{copy.pausedNotice(formatNames.format(names))}</span>
        <Link href="/settings/keys" className="text-accent underline-offset-4 hover:underline">
          {copy.pausedLink}
        </Link>
      </span>
    </p>
  )
}
