'use client'
/** Shown instead of a page during an outage. The navigation stays visible. */
export { default } from '../error'
