/** The notice about webhook endpoints that fail or were disabled, for users who can change them. */
import { Link } from '@/app/_components/link'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { listTroubledEndpoints } from '@/lib/webhooks/list-deliveries'

export async function TroubledWebhooks({ sellerId }: { sellerId: string }) {
  const endpoints = await listTroubledEndpoints(sellerId)
  return endpoints.map(({ url, isDisabled }) => (
    <p key={url} className="border-line border-b bg-card px-4 py-2 text-sm sm:px-6" data-troubled-webhook>
      <span className="mx-auto flex max-w-7xl flex-wrap gap-x-3">
        <span className="wrap-anywhere text-warn">{isDisabled ? copy.disabledNotice(url) : copy.failingNotice(url)}</span>
        <Link href="/settings/webhooks" className="text-accent underline-offset-4 hover:underline">
          {copy.noticeLink}
        </Link>
      </span>
    </p>
  ))
}
