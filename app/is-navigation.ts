/** Distinguishes client-side navigations from document loads. */
import { headers } from 'next/headers'

/** Returns whether a script made the request, such as the router for a client-side navigation, rather than a browser loading a document. */
export const isNavigation = async (): Promise<boolean> => (await headers()).get('sec-fetch-dest') === 'empty'
