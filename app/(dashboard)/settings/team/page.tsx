/** Settings page: the team, its two-factor requirement, and pending invitations. */
import type { Metadata } from 'next'
import { ActionsCell, Cell, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { StatusBadge } from '@/app/_components/status-badge'
import { settingsCopy } from '@/app/copy/settings'
import { teamCopy as copy } from '@/app/copy/team'
import { requireUser } from '@/app/session'
import { type Invitation, listInvitations } from '@/lib/accounts/invitations'
import type { SessionUser } from '@/lib/accounts/sessions'
import { listTeam, type Member } from '@/lib/accounts/team'
import { Invite } from './invite'
import { ChangeRole, DisableMember, EnableMember, RequireTwoFactor, ResetTwoFactor, RevokeInvitation } from './member-actions'

export const metadata: Metadata = { title: settingsCopy.areas.team }

function MemberRow({ member, user }: { member: Member; user: SessionUser }) {
  const { columns, states, twoFactorStates } = copy
  const { userId, email, role, createdAt, disabledAt, hasTwoFactor } = member
  const isSelf = userId === user.userId
  return (
    <Row>
      <Cell label={columns.email}>
        <span className="break-all font-medium">{email}</span>
        {isSelf ? <span className="ml-2 text-quiet">({copy.you})</span> : null}
      </Cell>
      <Cell label={columns.role}>{copy.roles[role].name}</Cell>
      <Cell label={columns.added}>
        <Timestamp at={createdAt} timeZone={user.timeZone} />
      </Cell>
      <Cell label={columns.twoFactor}>{hasTwoFactor ? twoFactorStates.on : twoFactorStates.off}</Cell>
      <Cell label={columns.state}>
        <StatusBadge tone={disabledAt ? 'neutral' : 'good'}>{disabledAt ? states.disabled : states.active}</StatusBadge>
      </Cell>
      <ActionsCell>
        {isSelf ? null : (
          <>
            <ChangeRole userId={userId} email={email} role={role} />
            {hasTwoFactor ? <ResetTwoFactor userId={userId} email={email} /> : null}
            {disabledAt ? <EnableMember userId={userId} email={email} /> : <DisableMember userId={userId} email={email} />}
          </>
        )}
      </ActionsCell>
    </Row>
  )
}

function InvitationRow({ invitation, timeZone }: { invitation: Invitation; timeZone: string }) {
  const { invitationColumns: columns, invitationStates: states } = copy
  const { id, email, role, expiresAt, isExpired } = invitation
  return (
    <Row>
      <Cell label={columns.email}>
        <span className="break-all font-medium">{email}</span>
      </Cell>
      <Cell label={columns.role}>{copy.roles[role].name}</Cell>
      <Cell label={columns.expires}>
        <Timestamp at={expiresAt} timeZone={timeZone} />
      </Cell>
      <Cell label={columns.state}>
        <StatusBadge tone={isExpired ? 'neutral' : 'warn'}>{isExpired ? states.expired : states.open}</StatusBadge>
      </Cell>
      <ActionsCell>
        <RevokeInvitation id={id} email={email} />
      </ActionsCell>
    </Row>
  )
}

export default async function TeamPage() {
  const user = await requireUser('settings', '/settings/team')
  const [team, invitations] = await Promise.all([listTeam(user.sellerId), listInvitations(user.sellerId)])
  return (
    <SettingsSection title={settingsCopy.areas.team} hint={copy.hint} action={<Invite />}>
      <Table caption={settingsCopy.areas.team} headers={Object.values(copy.columns)} actions={settingsCopy.actions}>
        {team.map((member) => (
          <MemberRow key={member.userId} member={member} user={user} />
        ))}
      </Table>
      <section aria-labelledby="two-factor" className="mt-6 flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="mr-auto">
          <h3 id="two-factor" className="font-medium">
            {copy.twoFactor}
          </h3>
          <p className="text-quiet text-sm">{user.requiresTwoFactor ? copy.twoFactorStatus.required : copy.twoFactorStatus.optional}</p>
        </div>
        <RequireTwoFactor isRequired={user.requiresTwoFactor} />
      </section>
      {invitations.length > 0 ? (
        <section aria-labelledby="invitations" className="mt-6">
          <h3 id="invitations" className="mb-2 font-medium">
            {copy.invitations}
          </h3>
          <Table caption={copy.invitations} headers={Object.values(copy.invitationColumns)} actions={settingsCopy.actions}>
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} timeZone={user.timeZone} />
            ))}
          </Table>
        </section>
      ) : null}
    </SettingsSection>
  )
}
