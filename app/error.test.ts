/** The outage page asks the server again: rendering the failed page once more in the browser would fail once more. */
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import ErrorPage from './error'

const buttons = (node: ReactNode): ReactElement<{ onClick?: () => void }>[] => {
  if (Array.isArray(node)) return node.flatMap(buttons)
  if (!isValidElement<{ children?: ReactNode }>(node)) return []
  return node.type === 'button' ? [node] : buttons(node.props.children)
}

it('retries with its button', () => {
  const retry = vi.fn()
  const [button, ...others] = buttons(ErrorPage({ error: new Error('away'), retry }))
  expect(others).toEqual([])
  button?.props.onClick?.()
  expect(retry).toHaveBeenCalledOnce()
})
