'use client'
/** Lucide icons as single paths. Lucide's components would add 2 KB and exceed the script size limit of the table pages. */

const PATHS = {
  search: 'm21 21-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0-16 0',
  copy: 'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2zM4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2',
  check: 'M20 6 9 17l-5-5',
  plus: 'M5 12h14M12 5v14',
  close: 'M18 6 6 18M6 6l12 12',
  columns: 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 3v18M15 3v18',
  download: 'M12 15V3M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M7 10l5 5 5-5',
  down: 'm6 9 6 6 6-6',
  up: 'm18 15-6-6-6 6',
  rows: 'M3 6h18M3 12h18M3 18h18',
  sort: 'm7 15 5 5 5-5M7 9l5-5 5 5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  left: 'm12 19-7-7 7-7M19 12H5',
  right: 'M5 12h14M12 5l7 7-7 7',
  system: 'M4 3h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM8 21h8M12 17v4',
  light:
    'M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 2v2M12 20v2M4.93 4.93l1.41 1.41M17.66 17.66l1.41 1.41M2 12h2M20 12h2M6.34 17.66l-1.41 1.41M19.07 4.93l-1.41 1.41',
  dark: 'M12 3a6 6 0 0 0 9 9 9 9 0 1 1-9-9Z',
} as const

type IconName = keyof typeof PATHS

/**
 * A decorative icon, hidden from screen readers. It is a client component, because React uses an inline style to hide content streamed
 * inside an SVG, and the content security policy forbids inline styles.
 *
 * @param size the size in pixels
 */
export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
