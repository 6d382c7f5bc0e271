/** The resources with personal data, determined from their fields in the catalog. */
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { CUSTOMER_RESOURCES } from '../../listing/customer-orders'

/** The fields of a record that identify a person: those that `identifyingTexts` reads, and the customer's ID. */
const PERSONAL_FIELDS = ['email', 'customerEmail', 'customerName', 'customerId', 'billing', 'shipping']

/** The resources whose records can identify a person. */
export const PERSONAL_RESOURCES: ResourceName[] = RESOURCE_NAMES.filter((name) =>
  PERSONAL_FIELDS.some((field) => field in resources[name].record.shape),
)

const OWN_RULES: readonly ResourceName[] = [...CUSTOMER_RESOURCES, 'customers']

/** The personal resources other than customers and their orders. Those are selected for erasure by separate rules. */
export const OTHER_PERSONAL_RESOURCES = PERSONAL_RESOURCES.filter((name) => !OWN_RULES.includes(name))
