'use client'
/** The button that copies the API request of a form, with what is in its fields. */
import { CopyButton } from '@/app/_components/copy-button'
import { listCopy } from '@/app/copy/list'

export const CopyFormRequest = ({ command }: { command: (form: FormData) => string }) => (
  <CopyButton
    text={(button) => command(new FormData(button.form ?? undefined))}
    what={listCopy.curlWhat}
    className="inline-flex items-center gap-1.5 self-start rounded text-quiet text-sm hover:text-ink"
  >
    {listCopy.curl}
  </CopyButton>
)
