/** The bar at the bottom of the scanner, within reach of the thumb: camera or keyboard, guest search, and the list of recent scans. */
import { Camera, Keyboard, List, type LucideIcon, UserSearch } from 'lucide-react'
import { doorCopy } from '../copy/door'

type Props = {
  isCameraOn: boolean
  /** Switches between the camera and the code field. */
  onToggleCamera: () => void
  /** Undefined on devices that may not search for guests. */
  onFind: (() => void) | undefined
  onList: () => void
}

export function BottomBar({ isCameraOn, onToggleCamera, onFind, onList }: Props) {
  return (
    <nav aria-label={doorCopy.toolbar} className="flex shrink-0 border-line border-t pb-[env(safe-area-inset-bottom)]">
      <Item icon={isCameraOn ? Keyboard : Camera} label={isCameraOn ? doorCopy.typeCode : doorCopy.camera} onClick={onToggleCamera} />
      {onFind ? <Item icon={UserSearch} label={doorCopy.find} onClick={onFind} /> : null}
      <Item icon={List} label={doorCopy.list} onClick={onList} className="lg:hidden" />
    </nav>
  )
}

type ItemProps = { icon: LucideIcon; label: string; onClick: () => void; className?: string }

function Item({ icon: Icon, label, onClick, className = '' }: ItemProps) {
  return (
    <button
      type="button"
      className={`flex h-18 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-sm hover:bg-hover ${className}`}
      onClick={onClick}
    >
      <Icon aria-hidden size={24} />
      {label}
    </button>
  )
}
