import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/style.css';
import './styles/table.css';
import './styles/rows.css';
import './styles/frame.css';
import './styles/filters.css';
import './styles/search.css';
import './styles/payments.css';
import './styles/needs.css';
import './styles/signing.css';
import './styles/print.css';
import { App } from './app';

const page = document.getElementById('page');
if (page) render(<App />, page);
