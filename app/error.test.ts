/** The outage page requests the page from the server again, because rendering it again in the browser would fail again. */
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import ErrorPage from './error'

type Props = { onClick?: () => void; children?: ReactNode }

const buttons = (node: ReactNode): ReactElement<Props>[] => {
  if (Array.isArray(node)) return node.flatMap(buttons)
  if (!isValidElement<Props>(node)) return []
  return node.type === 'button' ? [node] : buttons(node.props.children)
}

it('retries when its button is clicked', () => {
  const retry = vi.fn()
  const [button, ...others] = buttons(ErrorPage({ error: new Error('away'), retry }))
  expect(others).toEqual([])
  button?.props.onClick?.()
  expect(retry).toHaveBeenCalledOnce()
})
