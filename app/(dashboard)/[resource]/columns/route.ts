/** POST /payments/columns: stores which columns of a list the user shows. */
import { z } from 'zod'
import { requireCaller } from '@/app/session'
import { keepColumns } from '@/lib/accounts/preferences'
import { isResourceName, resources } from '@/lib/catalog'
import { ApiError } from '@/lib/core/errors'
import { readJson } from '@/lib/http/body'
import { errorResponse } from '@/lib/http/respond'
import { isSameOrigin } from '@/lib/http/same-origin'

async function keep(request: Request, name: string): Promise<void> {
  if (!isSameOrigin(request.headers))
    throw new ApiError('scope_missing', 'Cross-origin requests are not allowed. Choose columns on the list page.')
  const { userId } = await requireCaller('records')
  if (!isResourceName(name)) throw new ApiError('route_not_found', 'No such list. Check the address.')
  // The first column links to the record and is always shown.
  const keys = resources[name].columns.slice(1).map(({ key }) => key)
  const parsed = z.strictObject({ shown: z.partialRecord(z.enum(keys), z.boolean()) }).safeParse(await readJson(request))
  if (!parsed.success) throw new ApiError('body_invalid', 'Unknown column. Reload the page and choose again.')
  await keepColumns(userId, name, parsed.data.shown)
}

export async function POST(request: Request, { params }: { params: Promise<{ resource: string }> }): Promise<Response> {
  try {
    await keep(request, (await params).resource)
    return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return errorResponse(error)
  }
}
