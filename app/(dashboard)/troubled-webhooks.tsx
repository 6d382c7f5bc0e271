/** The notices about webhook endpoints that keep failing or that the server disabled, for users who can manage them. */
import { cache } from 'react'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { listTroubledEndpoints } from '@/lib/webhooks/list-deliveries'
import { NoticeBar } from './notice-bar'

/** Returns the endpoints. Reads them at most once per request. */
export const loadTroubledEndpoints = cache(listTroubledEndpoints)

export async function TroubledWebhooks({ sellerId }: { sellerId: string }) {
  const endpoints = await loadTroubledEndpoints(sellerId)
  return endpoints.map(({ id, url, isDisabled }) => (
    <NoticeBar
      key={id}
      text={isDisabled ? copy.disabledNotice(url) : copy.failingNotice(url)}
      href="/settings/webhooks"
      linkText={copy.noticeLink}
    />
  ))
}
