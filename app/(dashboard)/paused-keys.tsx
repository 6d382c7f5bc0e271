/** The notice about paused API keys, for users who can resume them. */
import { keysCopy as copy } from '@/app/copy/keys'
import { listPausedKeys } from '@/lib/accounts/pause-key'
import { NoticeBar } from './notice-bar'

const listFormat = new Intl.ListFormat('en-US')

export async function PausedKeys({ sellerId }: { sellerId: string }) {
  const names = await listPausedKeys(sellerId)
  if (names.length === 0) return null
  return <NoticeBar text={copy.pausedNotice(listFormat.format(names))} href="/settings/keys" linkText={copy.pausedLink} />
}
