'use client'
/** Buttons for retrying failed events. */
import { stripeCopy as copy } from '@/app/copy/stripe'
import { ActionButton } from '../_parts/action-button'
import { retry, retryAll } from './actions'

export const RetryEvent = ({ id }: { id: string }) => (
  <ActionButton label={copy.retry} accessibleName={copy.retryAccessibleName(id)} action={() => retry(id)} />
)

export const RetryAll = () => <ActionButton label={copy.retryAll} action={retryAll} />
