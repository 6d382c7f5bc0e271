/** All defenses, in the order of docs/defenses.md. */
import { DASHBOARD_DEFENSES } from './dashboard-defenses'
import { DATABASE_DEFENSES } from './database-defenses'
import { DEFENSES, type Defense } from './defenses'
import { DEVICE_DEFENSES } from './device-defenses'
import { FRONT_DEFENSES } from './front-defenses'
import { INPUT_DEFENSES } from './input-defenses'
import { KEY_DEFENSES } from './key-defenses'
import { OFFLINE_DEFENSES } from './offline-defenses'
import { PAGE_PROCESS_DEFENSES } from './page-process-defenses'
import { SIGN_IN_DEFENSES } from './sign-in-defenses'
import { WEBHOOK_DEFENSES } from './webhook-defenses'
import { WRITE_DEFENSES } from './write-defenses'

export const ALL_DEFENSES: Defense[] = [
  ...DEFENSES,
  ...DATABASE_DEFENSES,
  ...KEY_DEFENSES,
  ...FRONT_DEFENSES,
  ...PAGE_PROCESS_DEFENSES,
  ...INPUT_DEFENSES,
  ...SIGN_IN_DEFENSES,
  ...WEBHOOK_DEFENSES,
  ...WRITE_DEFENSES,
  ...DEVICE_DEFENSES,
  ...OFFLINE_DEFENSES,
  ...DASHBOARD_DEFENSES,
]
