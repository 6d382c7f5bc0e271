/** Distinguishes navigations from page loads. */
import { headers } from 'next/headers'

/** Returns whether the router requests a page for a client-side navigation, as opposed to a browser that loads a document. */
export const isNavigation = async (): Promise<boolean> => (await headers()).get('sec-fetch-dest') === 'empty'
