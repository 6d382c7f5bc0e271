/** The notices about webhook endpoints that keep failing or that the server disabled, for users who can manage them. */
import { cache } from 'react'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { listUnhealthyEndpoints } from '@/lib/webhooks/list-deliveries'
import { NoticeBar } from './notice-bar'

/** Returns the endpoints that keep failing or that the server disabled. Reads them at most once per request. */
export const loadUnhealthyEndpoints = cache(listUnhealthyEndpoints)

export async function UnhealthyWebhooks({ sellerId }: { sellerId: string }) {
  const endpoints = await loadUnhealthyEndpoints(sellerId)
  return endpoints.map(({ id, url, isDisabled }) => (
    <NoticeBar
      key={id}
      text={isDisabled ? copy.disabledNotice(url) : copy.failingNotice(url)}
      href="/settings/webhooks"
      linkText={copy.noticeLink}
    />
  ))
}
