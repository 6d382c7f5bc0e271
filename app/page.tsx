/** The front page: describes the server and its API. Redirects signed-in users to the dashboard or to check-in. */
import { redirect } from 'next/navigation'
import { mayUse } from '@/lib/accounts/roles'
import { resources } from '@/lib/catalog'
import { docsCopy } from './copy/docs'
import { frontCopy } from './copy/front'
import { shopCopy } from './copy/shop'
import { signInCopy } from './copy/sign-in'
import { getPublicBaseUrl } from './public-base-url'
import { currentUser } from './session'

const OPERATIONS = [
  ...Object.keys(resources).map((name) => ['GET', `/v1/${name}`, frontCopy.lists(name)] as const),
  ['POST', '/v1/tickets/validate/{qrCode}', frontCopy.validates] as const,
]

const PROBES = [
  ['GET', '/healthz', frontCopy.runs],
  ['GET', '/readyz', frontCopy.ready],
] as const

function Operation({ method, path, description }: { method: string; path: string; description: string }) {
  return (
    <li className="grid grid-cols-[3rem_1fr] gap-x-3 border-line border-t px-4 py-3 first:border-t-0 sm:grid-cols-[3rem_19rem_1fr] sm:px-5">
      <span className="font-mono text-quiet text-xs leading-6">{method}</span>
      <code className="break-all font-mono text-[0.8125rem] leading-6">{path}</code>
      <span className="col-start-2 text-quiet sm:col-start-3">{description}</span>
    </li>
  )
}

export default async function FrontPage() {
  const baseUrl = await getPublicBaseUrl()
  const user = await currentUser().catch(() => undefined)
  if (user) redirect(mayUse(user.role, 'records') ? '/overview' : '/door')
  return (
    <main className="mx-auto max-w-3xl px-5 py-12 sm:py-20">
      <div className="flex items-center justify-between gap-4">
        <h1 className="font-semibold text-2xl tracking-tight">{shopCopy.name}</h1>
        <a href="/sign-in" className="button">
          {signInCopy.title}
        </a>
      </div>
      <p className="mt-3 max-w-xl text-quiet">{frontCopy.what}</p>

      <h2 className="mt-10 font-medium">{frontCopy.api}</h2>
      <p className="mt-1 text-quiet">
        {frontCopy.apiHint}{' '}
        <a href="/docs" className="text-accent underline underline-offset-2">
          {docsCopy.link}
        </a>
      </p>
      <ul className="mt-4 overflow-hidden rounded-lg border border-line bg-card">
        {OPERATIONS.map(([method, path, description]) => (
          <Operation key={path} method={method} path={path} description={description} />
        ))}
      </ul>
      <pre className="mt-4 whitespace-pre-wrap break-words rounded-lg border border-line bg-card px-4 py-3 font-mono text-[0.8125rem] sm:px-5">
        <code>{`curl -s '${baseUrl}/v1/payments?limit=2' \\
  -H 'Authorization: Bearer desk_…'`}</code>
      </pre>

      <h2 className="mt-10 font-medium">{frontCopy.operator}</h2>
      <ul className="mt-4 overflow-hidden rounded-lg border border-line bg-card">
        {PROBES.map(([method, path, description]) => (
          <Operation key={path} method={method} path={path} description={description} />
        ))}
      </ul>
    </main>
  )
}
