// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import { collectGrantScopes } from "../grant-scopes.ts";
import type { Policy } from "../policy.ts";
import { type Visibility, VisibilityCompiler } from "../visibility.ts";
import type { VisibilityScope } from "../visibility-requests.ts";

/** What `user` may see of one resource under `policy`, compiled afresh. */
export function compileVisibility(policy: Policy, user: Subject, scope: VisibilityScope): Visibility {
  return new VisibilityCompiler(collectGrantScopes(policy, user)).compile(scope);
}
