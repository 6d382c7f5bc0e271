'use client'
/** A secret that is shown once, with a copy button. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { settingsCopy } from '@/app/copy/settings'

export function SecretOnce({ label, text, children }: { label: string; text: string; children: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'by hand'>()
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The dialog takes focus in the next frame, because the focused field was removed. Focus this field one frame later.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => field.current?.focus())
    })
    return () => cancelAnimationFrame(frame)
  }, [])

  async function copy() {
    try {
      // Browsers expose the clipboard only in secure contexts.
      await navigator.clipboard.writeText(text)
      setOutcome('copied')
    } catch {
      field.current?.select()
      setOutcome('by hand')
    }
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
          {outcome === 'copied' ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
          {outcome === 'copied' ? settingsCopy.copied : settingsCopy.copy}
        </button>
      </div>
      <p role="status" className="min-h-6 text-quiet text-sm">
        {outcome === 'by hand' ? settingsCopy.copyByHand : null}
      </p>
    </div>
  )
}
