/** GET /payments/ID/peek: returns a summary of a record for the drawer next to its table. */
import { setTimeout } from 'node:timers/promises'
import { requestErrors } from '@/app/copy/request-errors'
import { requireCaller } from '@/app/session'
import { jsonRoute } from '@/app/table-request'
import { isResourceName, type ResourceName } from '@/lib/catalog'
import { coupons } from '@/lib/catalog/coupons'
import { ApiError } from '@/lib/core/errors'
import { readCouponSales } from '@/lib/reports/coupon-sales'
import { ifAvailable } from '@/lib/reports/report-throttle'
import { makeCouponFigures } from '../coupon-figures'
import type { Entry } from '../entries'
import { type JsonRecord, loadRecord } from '../load-record'
import { toPeek } from '../peek-view'

/** The drawer omits a coupon's sales if reading them takes longer than this. */
const SALES_TIMEOUT_MS = 1_000

async function readSales(sellerId: string, name: ResourceName, record: JsonRecord): Promise<Entry[]> {
  if (name !== 'coupons') return []
  const pendingSales = ifAvailable(readCouponSales(sellerId, coupons.record.parse(record)))
  const sales = await Promise.race([pendingSales, setTimeout(SALES_TIMEOUT_MS, undefined, { ref: false })])
  return sales ? makeCouponFigures(sales).map(({ label, text }) => ({ path: `sales.${label}`, label, text })) : []
}

type Context = { params: Promise<{ resource: string; id: string }> }

export const GET = jsonRoute(async (_request, { params }: Context) => {
  const { resource: name, id } = await params
  const user = await requireCaller('records')
  const loaded = isResourceName(name) ? await loadRecord(user, name, id, (record) => readSales(user.sellerId, name, record)) : undefined
  if (!loaded) throw new ApiError('record_not_found', requestErrors.unknownRecord)
  return toPeek(loaded, user.timeZone)
})
