'use client'
/** Shown instead of a page during an outage. The navigation stays. */
export { default } from '../error'
