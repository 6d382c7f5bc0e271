/** Distinguishes client-side navigations from page loads. */
import { headers } from 'next/headers'

/** Returns whether the request was made by the router for a client-side navigation, rather than by a browser that loads a document. */
export const isNavigation = async (): Promise<boolean> => (await headers()).get('sec-fetch-dest') === 'empty'
