// The page of a project: files that are dropped, and feedback that is made.

import "./results.js";
import { drops } from "./upload.js";

drops();
