/** scripts/build-page.mjs puts the library next to the page's modules. */
import uPlot from 'uplot'

export default uPlot
