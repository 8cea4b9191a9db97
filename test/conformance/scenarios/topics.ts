// SPDX-License-Identifier: Apache-2.0
import type { Topic } from "../scenario.ts";
import { access } from "./access.ts";
import { accountTokens } from "./account-tokens.ts";
import { borrowedRights } from "./borrowed-rights.ts";
import { customDefinitions } from "./custom-definitions.ts";
import { customResources } from "./custom-resources.ts";
import { defaults } from "./defaults.ts";
import { deletes } from "./deletes.ts";
import { discovery } from "./discovery.ts";
import { evictions } from "./evictions.ts";
import { lists } from "./lists.ts";
import { namespaces } from "./namespaces.ts";
import { objects } from "./objects.ts";
import { patches } from "./patches.ts";
import { plainKinds } from "./plain-kinds.ts";
import { protobufBodies } from "./protobuf-bodies.ts";
import { refusals } from "./refusals.ts";
import { representations } from "./representations.ts";
import { selectors } from "./selectors.ts";
import { subresources } from "./subresources.ts";
import { validation } from "./validation.ts";
import { watches } from "./watches.ts";
import { writeOptions } from "./write-options.ts";

/** Everything that is played. */
export const topics: readonly Topic[] = [
  discovery,
  objects,
  refusals,
  patches,
  selectors,
  lists,
  representations,
  protobufBodies,
  writeOptions,
  deletes,
  subresources,
  evictions,
  defaults,
  validation,
  plainKinds,
  customDefinitions,
  customResources,
  access,
  borrowedRights,
  accountTokens,
  namespaces,
  watches,
];
