'use client'
/** Puts a text on the clipboard, and says that it did. */
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'

const SHOWN_MS = 1500

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={copied ? `${what} copied` : `Copy ${what}`}
      className="mt-0.5 rounded p-0.5 text-quiet hover:bg-hover hover:text-ink"
    >
      {copied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
    </button>
  )
}
