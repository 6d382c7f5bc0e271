/** UI text for the progress of exports. */
export const exportCopy = {
  label: 'Export',
  running: (rows: string, total: string) => `Exporting ${rows} of ${total} rows`,
  cancel: 'Cancel',
  canceled: 'Export canceled',
  exported: (rows: string) => `Exported ${rows} rows`,
  failed: 'The export failed. Try again.',
} as const
