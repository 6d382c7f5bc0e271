/** UI text for the copy buttons. */
export const copyButtonCopy = {
  copy: (what: string) => `Copy ${what}`,
  copied: (what: string) => `Copied ${what}`,
  request: 'Copy API request',
  requestName: 'API request',
  failed: 'Couldn’t copy. Select the text and copy it manually.',
} as const
