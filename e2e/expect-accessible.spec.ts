/** Tests that the accessibility check finds every violation, although it checks the colors of only two elements with the same styles. */
import { expect, expectAccessible, test } from './support/dashboard'

test('finds a single element with insufficient contrast or no accessible name among otherwise identical elements', async ({
  page,
  baseUrl,
}) => {
  await page.goto(`${baseUrl}/sign-in`)
  // Wait for hydration, during which React would remove added elements.
  const main = page.locator('main')
  await expect.poll(() => main.evaluate((node) => Object.keys(node).some((name) => name.startsWith('__react')))).toBe(true)
  await page.evaluate(() => {
    const list = document.createElement('ul')
    for (let i = 0; i < 50; i += 1) list.append(Object.assign(document.createElement('li'), { textContent: `Item ${i}` }))
    document.querySelector('main')?.append(list)
  })
  await expectAccessible(page)
  const item = page.getByText('Item 25', { exact: true })
  for (const [name, value] of [
    ['color', '#bbb'],
    ['background-color', '#333'],
    ['opacity', '0.3'],
  ] as const) {
    await item.evaluate((node, [property, newValue]) => node.style.setProperty(property, newValue), [name, value] as const)
    await expect(expectAccessible(page), name).rejects.toThrow(/color-contrast.*Item 25/s)
    await item.evaluate((node, property) => node.style.removeProperty(property), name)
  }
  // Of these three elements, only the second is visible.
  await page.evaluate(() => {
    for (const open of [false, true, false]) {
      const details = Object.assign(document.createElement('details'), { open })
      const text = Object.assign(document.createElement('p'), { textContent: 'Pale' })
      text.style.setProperty('color', '#bbb')
      details.append(Object.assign(document.createElement('summary'), { textContent: 'More' }), text)
      document.querySelector('main')?.append(details)
    }
  })
  await expect(expectAccessible(page)).rejects.toThrow(/color-contrast.*Pale/s)
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.remove()
  })
  // The label of a disabled field neither passes nor fails, so it must be checked again once the field is enabled.
  const field = await page.evaluateHandle(() => {
    const label = Object.assign(document.createElement('label'), { textContent: 'Faint' })
    label.style.setProperty('color', '#bbb')
    const input = Object.assign(document.createElement('input'), { disabled: true })
    label.append(input)
    document.querySelector('main')?.append(label)
    return input
  })
  await expectAccessible(page)
  await field.evaluate((input) => Object.assign(input, { disabled: false }))
  await expect(expectAccessible(page)).rejects.toThrow(/color-contrast.*Faint/s)
  await field.evaluate((input) => input.parentElement?.remove())
  await item.evaluate((node) => node.append(document.createElement('button')))
  await expect(expectAccessible(page)).rejects.toThrow(/button-name/)
})
