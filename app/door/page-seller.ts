/** The seller for whom the check-in page was rendered. Someone may have signed in to another shop since, in another tab of the browser. */

/** The name of the header or query parameter in which the page sends its seller's ID, and of the `meta` element that contains the ID. */
export const PAGE_SELLER = 'desk-page-seller'

/** Returns the seller that a request's page names in its header or its query; undefined if it names none. */
export const readPageSeller = ({ headers, url }: Request): string | undefined =>
  headers.get(PAGE_SELLER) ?? new URL(url).searchParams.get(PAGE_SELLER) ?? undefined

/** Returns the ID of this page's seller, or undefined on pages that name no seller. */
export const getPageSellerId = (): string | undefined =>
  typeof document === 'undefined' ? undefined : document.querySelector<HTMLMetaElement>(`meta[name=${PAGE_SELLER}]`)?.content

/** Returns the header with the ID of this page's seller, or no header on pages that name no seller. */
export function pageSellerHeader(): Record<string, string> {
  const sellerId = getPageSellerId()
  return sellerId === undefined ? {} : { [PAGE_SELLER]: sellerId }
}
