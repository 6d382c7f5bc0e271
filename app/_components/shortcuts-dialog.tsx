'use client'
/** The list of keyboard shortcuts. */
import { shortcutsCopy } from '../copy/shortcuts'
import { Dialog } from './dialog'

export default function ShortcutsDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog title={shortcutsCopy.title} open={open} onOpenChange={onOpenChange}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {shortcutsCopy.groups.map(({ name, keys }) => (
          <section key={name} aria-label={name}>
            <h3 className="mb-1 font-medium text-quiet text-sm">{name}</h3>
            <dl className="text-sm">
              {keys.map(([key, action]) => (
                <div key={key} className="flex items-center justify-between gap-4 py-1">
                  <dt>{action}</dt>
                  <dd className="m-0 flex gap-1">
                    {key.split(' ').map((part) => (
                      <kbd key={part} className="min-w-6 rounded border border-line px-1.5 text-center font-sans text-xs leading-5">
                        {part}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
