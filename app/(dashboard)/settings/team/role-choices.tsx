/** Role radio buttons, each with a description of its permissions. */
import { Choice, Choices } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import type { Role } from '@/lib/accounts/roles'

const ROLES: readonly Role[] = ['owner', 'staff', 'door']

export function RoleChoices({ selectedRole, error }: { selectedRole: Role; error: string | undefined }) {
  return (
    <Choices legend={settingsCopy.team.role} error={error}>
      {ROLES.map((role) => (
        <Choice
          key={role}
          type="radio"
          name="role"
          value={role}
          label={settingsCopy.roles[role].name}
          hint={settingsCopy.roles[role].description}
          checked={role === selectedRole}
        />
      ))}
    </Choices>
  )
}
