'use client'
/** A secret that is shown once, with a copy button, and the dialog that creates the secret. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { copyText } from '@/app/_components/copy-text'
import { Icon } from '@/app/_components/icon'
import type { Load } from '@/app/_components/on-demand'
import { secretCopy } from '@/app/copy/secret'
import { useAnnounce } from './announcer'
import { DialogButton } from './dialog-button'

export function SecretOnce({ label, text, children }: { label: string; text: string; children: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>()
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The dialog takes focus in the next frame, because the focused field was removed. Focus this field one frame later.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => field.current?.focus())
    })
    return () => cancelAnimationFrame(frame)
  }, [])

  async function copy() {
    const isCopied = await copyText(text)
    if (!isCopied) field.current?.select()
    setOutcome(isCopied ? 'copied' : 'failed')
  }

  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm">{children}</p>
      <div className="flex gap-2">
        <input
          ref={field}
          readOnly
          aria-label={label}
          value={text}
          onFocus={(event) => event.target.select()}
          className="field min-w-0 grow font-mono"
          autoComplete="off"
          spellCheck={false}
        />
        <button type="button" className="button-primary" onClick={copy}>
          <Icon name={outcome === 'copied' ? 'check' : 'copy'} size={16} />
          {outcome === 'copied' ? secretCopy.copied : secretCopy.copy}
        </button>
      </div>
      <p role="status" className="min-h-6 text-quiet text-sm">
        {outcome === 'failed' ? secretCopy.copyManually : null}
      </p>
    </div>
  )
}

type Props<Made> = {
  /** The label of the button that opens the dialog. */
  label: string
  accessibleName?: string
  isMain?: boolean
  title: string
  description?: string
  /** The title once the secret is shown. */
  madeTitle: string
  /** Loads the form, if its code is not part of the page. */
  loadContent?: Load
  /** Renders the form, which calls `onMade` with its result. */
  form: (onMade: (made: Made) => void) => ReactNode
  /** Renders the secret. */
  children: (made: Made) => ReactNode
  /** The message that is shown once the dialog is closed. */
  done: (made: Made) => string
  /** Runs once the dialog is closed. */
  onClosed?: () => void
}

/** A button that creates a secret in a dialog. Once the secret is shown, only its confirmation button closes the dialog. */
export function SecretDialog<Made>({ madeTitle, form, children, done, onClosed, title, description, ...opener }: Props<Made>) {
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<Made>()
  const announce = useAnnounce()

  function close(result: Made) {
    setOpen(false)
    announce(done(result))
    onClosed?.()
  }

  function change(next: boolean) {
    // The secret is not cleared on closing, because the dialog still shows it while fading out.
    if (next) setMade(undefined)
    setOpen(next)
  }

  return (
    <DialogButton
      {...opener}
      title={made ? madeTitle : title}
      description={made ? undefined : description}
      isLocked={made !== undefined}
      open={open}
      onOpenChange={change}
    >
      {made ? (
        <>
          {children(made)}
          <button type="button" className="button-primary mt-2" onClick={() => close(made)}>
            {secretCopy.saved}
          </button>
        </>
      ) : (
        form(setMade)
      )}
    </DialogButton>
  )
}
