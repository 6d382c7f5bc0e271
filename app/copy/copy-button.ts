/** The words of a button that copies: apart, for they cross to the browser with it. */
export const copyWords = {
  copy: (what: string) => `Copy ${what}`,
  copied: (what: string) => `${what} copied`,
  failed: 'The browser did not let it be copied',
} as const
