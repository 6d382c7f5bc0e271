'use client'
/** Replaces a page that cannot be rendered, or shows why a change failed. The navigation stays visible. */
export { default } from '../error'
