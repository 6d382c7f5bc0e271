/** The roles to choose from, each with what it may do. */
import { Choice, Choices } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'

const ROLES: readonly Role[] = ['owner', 'staff', 'door']

export function RoleChoices({ checked, complaint }: { checked: Role; complaint: string | undefined }) {
  return (
    <Choices legend={settingsWords.team.role} complaint={complaint}>
      {ROLES.map((role) => (
        <Choice
          key={role}
          type="radio"
          name="role"
          value={role}
          label={settingsWords.roles[role].name}
          hint={settingsWords.roles[role].does}
          checked={role === checked}
        />
      ))}
    </Choices>
  )
}
