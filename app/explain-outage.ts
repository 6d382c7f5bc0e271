/** Shows messages for outages that server actions expect. */
import { reportExplainedOutage } from '@/lib/core/explained-outages'
import { ActionError } from './action-error'

/** Returns the error that shows a message instead of the outage that the action has caught. */
export function explainOutage(message: string): ActionError {
  reportExplainedOutage()
  return new ActionError(message)
}
