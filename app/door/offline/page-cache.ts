/** The name of the cache that the page and its service worker share. */
export const PAGE_CACHE = 'checkout-desk-door-1'
