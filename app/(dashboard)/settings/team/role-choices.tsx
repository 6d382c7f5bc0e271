/** The roles to choose from, with what each may do. */
import { Choice, Choices } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'

const ROLES: readonly Role[] = ['owner', 'staff', 'door']

export function RoleChoices({ checked, error }: { checked: Role; error: string | undefined }) {
  return (
    <Choices legend={settingsCopy.team.role} error={error}>
      {ROLES.map((role) => (
        <Choice
          key={role}
          type="radio"
          name="role"
          value={role}
          label={settingsCopy.roles[role].name}
          hint={settingsCopy.roles[role].does}
          checked={role === checked}
        />
      ))}
    </Choices>
  )
}
