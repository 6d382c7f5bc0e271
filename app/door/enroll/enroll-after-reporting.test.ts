/** A browser becomes a new device only if it has sent its scans. */
import { expect, it, vi } from 'vitest'
import { FORM_ERROR_KEY } from '@/app/_components/form-state'
import { reportUnsent } from '../offline/open-engine'
import { enroll } from './actions'
import { enrollAfterReporting } from './enroll-after-reporting'

vi.mock('../offline/open-engine', () => ({ reportUnsent: vi.fn() }))
vi.mock('./actions', () => ({ enroll: vi.fn(async () => ({ data: true })) }))

it('sets up the device after all scans have been sent', async () => {
  vi.mocked(reportUnsent).mockResolvedValueOnce(0)
  expect(await enrollAfterReporting({}, new FormData())).toEqual({ data: true })
})

it('returns a form error if the unsent scans cannot be read, and does not use the code', async () => {
  vi.mocked(enroll).mockClear()
  vi.mocked(reportUnsent).mockRejectedValueOnce(new DOMException('broken', 'DataError'))
  const { errors } = await enrollAfterReporting({}, new FormData())
  expect(errors?.[FORM_ERROR_KEY]).toContain('storage couldn’t be read')
  expect(enroll).not.toHaveBeenCalled()
})
