/** An invitation that can't be used: one sentence, whatever the reason. */
import Link from 'next/link'
import { Notice } from '@/app/_components/notice'
import { inviteWords } from '@/app/copy/invite'

export default function InviteNotFound() {
  return (
    <main>
      <Notice title={inviteWords.ended} hint={inviteWords.endedHint}>
        <Link className="button" href="/sign-in">
          {inviteWords.signIn}
        </Link>
      </Notice>
    </main>
  )
}
