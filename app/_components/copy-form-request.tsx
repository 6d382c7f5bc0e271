'use client'
/** The button for copying the API request for a form's current values. */
import { CopyRequest } from './copy-request'

type Props = {
  /** Returns the curl command. */
  command: (form: FormData) => string
  /** Shows the form's errors. Returns whether there are none. If there are errors, nothing is copied. */
  check: (form: HTMLFormElement) => boolean
}

export const CopyFormRequest = ({ command, check }: Props) => (
  <CopyRequest command={({ form }) => (form && check(form) ? command(new FormData(form)) : undefined)} />
)
