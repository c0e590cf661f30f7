/** The library lies beside the page's own modules (scripts/build-page.mjs). */
import uPlot from 'uplot'

export default uPlot
