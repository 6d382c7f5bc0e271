'use client'
/** A secret shown only once, with a copy button, and the dialog for creating it. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useAnnounce } from '@/app/_components/announcer'
import { copyText } from '@/app/_components/copy-text'
import { DialogButton } from '@/app/_components/dialog-button'
import { Icon } from '@/app/_components/icon'
import type { Load } from '@/app/_components/on-demand'
import { secretCopy } from '@/app/copy/secret'

/** @param children the text above the secret */
export function SecretOnce({ label, text, children }: { label: string; text: string; children: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>()
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The dialog takes the focus in the next frame, because the focused field was removed. This field takes it one frame later.
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

type Props<Created> = {
  /** The label of the button that opens the dialog. */
  label: string
  accessibleName?: string
  isMain?: boolean
  title: string
  description?: string
  /** The dialog's title once the secret is shown. */
  secretTitle: string
  /** Loads the form's code, if it is lazy-loaded. */
  loadContent?: Load
  /** Renders the form, which calls `onCreated` with its result. */
  form: (onCreated: (created: Created) => void) => ReactNode
  /** Renders the secret. */
  children: (created: Created) => ReactNode
  /** The message shown after the dialog has closed. */
  successMessage: (created: Created) => string
  /** Called after the dialog has closed. */
  onClosed?: () => void
}

/** A button that creates a secret in a dialog. Once the secret is shown, only the button below it closes the dialog. */
export function SecretDialog<Created>({
  secretTitle,
  form,
  children,
  successMessage,
  onClosed,
  title,
  description,
  ...opener
}: Props<Created>) {
  const [open, setOpen] = useState(false)
  const [created, setCreated] = useState<Created>()
  const announce = useAnnounce()

  function close(result: Created) {
    setOpen(false)
    announce(successMessage(result))
    onClosed?.()
  }

  function onOpenChange(next: boolean) {
    // The secret is cleared when the dialog opens again, because the dialog still shows the secret while fading out.
    if (next) setCreated(undefined)
    setOpen(next)
  }

  return (
    <DialogButton
      {...opener}
      title={created ? secretTitle : title}
      description={created ? undefined : description}
      isLocked={created !== undefined}
      open={open}
      onOpenChange={onOpenChange}
    >
      {created ? (
        <>
          {children(created)}
          <button type="button" className="button-primary mt-2" onClick={() => close(created)}>
            {secretCopy.saved}
          </button>
        </>
      ) : (
        form(setCreated)
      )}
    </DialogButton>
  )
}
