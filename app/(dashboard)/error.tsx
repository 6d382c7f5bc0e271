'use client'
/** Shown in place of a page during an outage. The navigation stays. */
export { default } from '../error'
