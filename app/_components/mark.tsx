/** A small tag next to a record, such as `test`. */
export const Mark = ({ text, className = '' }: { text: string | undefined; className?: string }) =>
  text ? <span className={`rounded border border-line px-1 text-quiet text-xs ${className}`}>{text}</span> : null
