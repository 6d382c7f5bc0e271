/** The button that copies a record's API request. */
import { CopyButton } from '@/app/_components/copy-button'
import { listCopy } from '@/app/copy/list'

export const CopyRequest = ({ command }: { command: string }) => (
  <CopyButton text={command} what={listCopy.curlWhat} className="button">
    {listCopy.curl}
  </CopyButton>
)
