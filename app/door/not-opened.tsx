/** A ticket that is not there yet, or could not be had. */
import { doorWords } from '../copy/door'

export function NotOpened({ trouble, onAgain }: { trouble: string | undefined; onAgain: () => void }) {
  if (trouble === undefined) return <p className="text-quiet text-sm">{doorWords.opening}</p>
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert" className="text-bad text-sm">
        {trouble}
      </p>
      <button type="button" className="button h-11" onClick={onAgain}>
        {doorWords.again}
      </button>
    </div>
  )
}
